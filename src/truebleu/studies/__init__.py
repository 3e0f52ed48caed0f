"""What the papers measured, on anyone's data: one file per study."""
