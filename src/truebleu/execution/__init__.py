"""Where the tasks of long work run, and the journal that keeps what they have found."""
