# A quarter of a megabyte of compressed zeros becomes a quarter of a quarter of a gigabyte in memory.
import zlib

compressor = zlib.compressobj()
data = b"".join(compressor.compress(bytes(1 << 20)) for _ in range(1 << 8)) + compressor.flush()
zlib.decompress(data)
print("ESCAPED: a quarter of a gigabyte in memory")
