"""The look: tokens, palettes, glyphs and painting. Nothing outside names a colour, a size or a glyph."""
