// Excerpts are fetched from the pages, which a browser refuses on file://; titles and links work there too.
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
