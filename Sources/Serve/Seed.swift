enum ServeSeed {}
