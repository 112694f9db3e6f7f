"""The controls that all panels and dialogs are built from."""
