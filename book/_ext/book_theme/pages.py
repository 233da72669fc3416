"""What the template of a page gets: navigation, a description, ways to run the notebook, curated files."""

import re
from urllib.parse import quote, urlsplit

from docutils import nodes

from .colab import copy_for
from .numbers import chapter_number

# Style sheets and scripts of Sphinx and its extensions that book.css and book.js replace, or that only
# the search page needs (search.html loads them itself).
REPLACED = re.compile(
    r"_static/none$|_static/(basic|pygments|exercise|katex-math|mystnb\.\w+|sphinx-design\.min|katex/katex\.min)\.css"
    r"|_static/(documentation_options|doctools|sphinx_highlight|design-tabs)\.js"
)
REPAIRS = {
    ' aria-label="Toggle hidden content"': "",  # myst-nb, against the words that stand there
    'role="doc-biblioentry"': 'role="listitem"',  # docutils, deprecated and not allowed on <div>
}
STRANGER = "https://github.com/executablebooks/jupyter-book"  # Jupyter Book's default repository.url


def navigation(app, pagename, pathto):
    """The root page, then every page of the table of contents, in order; sections of the current one."""
    env, root = app.env, app.config.root_doc
    listed = [root, *env.toctree_includes.get(root, [])]
    return [
        {
            "title": "Start here" if doc == root else env.titles[doc].astext(),
            "number": chapter_number(doc),
            "link": pathto(doc),
            "current": doc == pagename,
            "sections": sections(env.tocs[doc]) if doc == pagename and doc != root else [],
        }
        for doc in listed
    ]


def sections(toc):
    """(anchor, title) of the second-level headings in a page's own table of contents."""
    found = []
    for item in toc.findall(nodes.list_item):
        depth = sum(isinstance(parent, nodes.list_item) for parent in ancestors(item))
        reference = item.next_node(nodes.reference)
        if depth == 1 and reference is not None:
            found.append((reference["anchorname"], reference.astext()))
    return found


def ancestors(node):
    """Every node above this one."""
    while node.parent is not None:
        node = node.parent
        yield node


def description(doctree, limit=155):
    """The first paragraph in plain words, cut at the last whole word within the limit."""
    for paragraph in doctree.findall(nodes.paragraph):
        words = " ".join(paragraph.astext().split())
        if len(words) > 40:
            return words if len(words) <= limit else words[: limit - 1].rsplit(" ", 1)[0].rstrip(",;:") + "…"
    return ""


def launch_links(url, branch, path):
    """Where to run a notebook online; nothing unless the repository has a GitHub address of its own."""
    parts = urlsplit((url or "").strip().rstrip("/").removesuffix(".git"))
    if parts.hostname != "github.com" or url.startswith(STRANGER):
        return []
    where, branch, path = quote(parts.path.strip("/")), quote(branch or "main"), quote(path)
    return [
        ("Colab", f"https://colab.research.google.com/github/{where}/blob/{branch}/{path}"),
        ("Binder", f"https://mybinder.org/v2/gh/{where}/{branch}?urlpath=lab/tree/{path}"),
    ]


def is_notebook(app, pagename):
    """Whether the page was made from a Jupyter notebook file."""
    return pagename in app.env.all_docs and str(app.env.doc2path(pagename)).endswith(".ipynb")


def repair(body):
    """Take back attributes that mislead screen readers."""
    for wrong, right in REPAIRS.items():
        body = body.replace(wrong, right)
    return body


def add_context(app, pagename, templatename, context, doctree):
    """Fill the template's context; runs after all other extensions have added their files."""
    context["book_nav"] = navigation(app, pagename, context["pathto"])
    context["author"] = app.config.author
    context["body"] = repair(context.get("body", ""))
    context["has_math"] = 'class="katex' in context["body"]
    context["css_version"] = app.config.attention_css_version
    context["js_version"] = app.config.attention_js_version
    context["book_css"] = [f for f in context["css_files"] if not REPLACED.search(str(f.filename))]
    context["book_js"] = [f for f in context["script_files"] if not REPLACED.search(str(f.filename))]
    if doctree is not None and 'name="description"' not in context.get("metatags", ""):
        context["description"] = description(doctree)
    if is_notebook(app, pagename):
        source = app.env.doc2path(pagename, base=False)
        context["notebook"] = context["sourcename"]
        repository = context.get("theme_repository_url"), context.get("theme_repository_branch")
        context["launch"] = launch_links(*repository, str(source))
        context["for_colab"] = None if context["launch"] else copy_for(app, pagename)


def setup(app):
    """Run late, after extensions have added their files for this page."""
    app.connect("html-page-context", add_context, priority=900)
