"""Python functions as NESL programs: the front end behind `@nesl.function`."""

from .code import Place, Translation
from .decorator import Function, function, translate
from .refused import Refused

__all__ = ["Function", "Place", "Refused", "Translation", "function", "translate"]
