"""The drafting room: a domain from a picture, where a person sees what differs and says who is right."""
