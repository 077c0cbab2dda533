"""What is known of the user's hot functions: their cost with all that they call, and their source."""
