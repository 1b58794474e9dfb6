"""The tables and figures of four papers, each as an experiment that can be run again."""
