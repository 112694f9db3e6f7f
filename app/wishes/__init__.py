"""The sheet on which a person sees, paints and keeps what a wish means."""
