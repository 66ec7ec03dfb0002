enum TSeed {}
