"""Two cards for the text: a question to be answered before reading on, and a belief that is wrong.

    :::{predict}                            :::{misconception} Columns sum to 1 as well

    Which sum to 1?                         **How it shows.** It runs, and looks tidy.

    - [ ] the rows                          **What is true.** Each query shares out one unit.
    - [ ] the columns
                                            :::
    ---

    The rows.

    :::

Guesses and answer may be left out. Both work without scripts, and on paper everything is shown. With colons
on lines of their own, JupyterLab, which knows neither, shows readable text.
"""

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective

PARTS = "How it shows", "What is true"


class Card(SphinxDirective):
    """What both directives share."""

    has_content = True

    def parsed(self):
        """The content as nodes."""
        self.assert_has_content()
        body = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, body)
        return body.children

    def titled(self, kind, *children):
        """A title with where it stands, which the catalogue of a translation wants to know."""
        title = nodes.title(kind, "", *(children or [nodes.Text(kind)]))
        self.set_source_info(title)
        return title


class Predict(Card):
    """A question; `- [ ]` lines are guesses to choose from; what follows a line `---` is folded."""

    def run(self):
        """Build the card."""
        question, answer = self.halves(self.parsed())
        card = nodes.admonition("", self.titled("Predict"), *question, classes=["predict"])
        lists = [part for part in question if "contains-task-list" in part.get("classes", ())]
        for item in (item for part in lists for item in part):
            if len(item) != 1 or not isinstance(item[0], nodes.paragraph):
                raise self.error("predict: each guess '- [ ]' must be a single line of text")
        if answer:
            card += nodes.admonition(
                "", self.titled("Show the answer"), *answer, classes=["dropdown", "answer"]
            )
        return [card]

    def halves(self, body):
        """What stands before and after the line `---`."""
        lines = [place for place, part in enumerate(body) if isinstance(part, nodes.transition)]
        if len(lines) > 1:
            raise self.error(f"predict: one line '---' divides question and answer, got {len(lines)}")
        cut = lines[0] if lines else len(body)
        question, answer = body[:cut], body[cut + 1 :]
        if not question or (lines and not answer):
            raise self.error("predict: the question, or the answer after '---', is missing")
        return question, answer


class Misconception(Card):
    """The wrong belief as title; a paragraph that says how it shows, then one that says what is true."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self):
        """Build the card."""
        body = self.parsed()
        leads = [words for part in body if (words := lead(part))]
        if tuple(words for words in leads if words in PARTS) != PARTS:
            wanted = " and ".join(f"'**{part}.**'" for part in PARTS)
            raise self.error(f"misconception: paragraphs must begin with {wanted}, got {leads}")
        belief, messages = self.state.inline_text(self.arguments[0], self.lineno)
        kind = nodes.inline("", "Misconception", classes=["kind"])
        title = self.titled(self.arguments[0], kind, nodes.Text(" "), *belief)
        return [nodes.admonition("", title, *body, classes=["misconception"]), *messages]


def lead(part):
    """The bold words a paragraph begins with, without their full stop; nothing if it begins otherwise."""
    first = (
        next((child for child in part if child.astext()), None) if isinstance(part, nodes.paragraph) else None
    )
    return first.astext().rstrip(".") if isinstance(first, nodes.strong) else ""


class choices(nodes.General, nodes.Element):  # noqa: N801 - docutils names nodes in lower case
    """Guesses, one of which can be chosen."""


def visit_choices(self, node):
    """Open a group with a name."""
    self.body.append(self.starttag(node, "fieldset", CLASS="choices"))
    words = "Your guess, then the answer" if node["answered"] else "Your guess"
    self.body.append(f"<legend>{words}</legend>\n")


def depart_choices(self, node):
    """Close it."""
    self.body.append("</fieldset>\n")


class choice(nodes.General, nodes.TextElement):  # noqa: N801
    """One guess."""


def visit_choice(self, node):
    """A label round its button, so that the words can be clicked."""
    button = self.emptytag(node, "input", "", type="radio", name=node["group"], autocomplete="off")
    self.body.append(f"<label>{button}<span>")


def depart_choice(self, node):
    """Close it."""
    self.body.append("</span></label>\n")


class OfferGuesses(SphinxPostTransform):
    """Turn the `- [ ]` lines of a question into buttons; one group per question."""

    default_priority = 290  # before the answer is folded: a list in the answer stays a list
    formats = ("html",)

    def run(self):
        """Replace in place."""
        for number, card in enumerate(list(self.document.findall(nodes.admonition))):
            if "predict" not in card["classes"]:
                continue
            answered = "answer" in card[-1].get("classes", ())
            for part in [p for p in card if "contains-task-list" in p.get("classes", ())]:
                buttons = (self.button(item[0], f"guess-{number}") for item in part)
                part.replace_self(choices("", *buttons, answered=answered))

    @staticmethod
    def button(line, group):
        """One guess; the drawn box of its list item makes way for a button."""
        words = [child for child in line if not isinstance(child, nodes.raw)]
        return choice("", "", *words, group=group)


def setup(app):
    """Register nodes, transform and directives."""
    app.add_node(choices, html=(visit_choices, depart_choices))
    app.add_node(choice, html=(visit_choice, depart_choice))
    app.add_post_transform(OfferGuesses)
    app.add_directive("predict", Predict)
    app.add_directive("misconception", Misconception)
