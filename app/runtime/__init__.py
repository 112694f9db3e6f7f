"""What holds for the whole process: signals, exceptions, garbage, memory."""
