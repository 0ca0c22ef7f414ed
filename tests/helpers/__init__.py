"""Problems, mechanisms and reference solutions that several folders of tests share."""
