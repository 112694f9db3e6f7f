"""The set-up dialog: its fields, its checks, and reading a domain in another process."""
