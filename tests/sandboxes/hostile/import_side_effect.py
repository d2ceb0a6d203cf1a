# The harm is in the module, before the first line of the program's own.
import harmless_helper

print("ESCAPED:", harmless_helper.answer)
