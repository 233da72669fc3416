"""The exercises, one module each: what is asked, what is right, and what each known wrong answer reveals.

Readers call them through `attn_helpers.check`.
"""
