"""Colours, sizes, fonts, icons and painting; nothing outside names a colour or a size itself."""
