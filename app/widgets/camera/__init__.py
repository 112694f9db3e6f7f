"""The live picture, the still that was asked about, and marks on both."""
