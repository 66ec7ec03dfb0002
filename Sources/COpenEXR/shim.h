// OpenEXR speaks C++, which only CEXR does: this target just carries its flags and libraries.
