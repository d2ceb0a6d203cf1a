# The exception, without the death.
raise MemoryError
