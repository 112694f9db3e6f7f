"""Teaching an eye with what people judged and simulators knew about logged pictures."""
