"""One widget a file, each with one `display(story)`. Live and replay are the same stream."""
