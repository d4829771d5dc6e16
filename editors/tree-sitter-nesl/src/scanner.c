// The three tokens of NESL that depend on more than what follows directly:
//
//   a comma before `name :=`    separates arguments from optional ones; others make pairs
//   a semicolon before `v in`   continues a list of classes; others end the form
//   the first word of a command if a name, a number, a string or the end of the form follows;
//                               `describe` and `apropos` also before any one word or sign; it is
//                               an ordinary name otherwise
//
// The first word of a command is one of three tokens, by the arguments: names, whole numbers and
// strings; a word or sign; or an expression, the path of `load`.
//
// The scanner has no state.

#include "tree_sitter/parser.h"

#include <string.h>

enum TokenType {
  OPTIONAL_COMMA,
  CLASS_SEMICOLON,
  COMMAND_WORD,
  SIGN_COMMAND_WORD,
  LOAD_COMMAND_WORD,
  REPAIRING
};

// Longer than the longest word of interest.
enum { WORD_SIZE = 16 };

static const char *const COMMANDS[] = {"help", "describe", "apropos", "load",
                                       "set",  "show",     "exit"};

static const char *const RESERVED[] = {"if", "then", "else", "let",  "in",  "function", "datatype", "and",
                                       "or", "xor",  "nand", "nor", "t",   "f",        "_"};

// Signs of two bytes.
static const char *const DOUBLE_SIGNS[] = {"->", "<-", "++", "==", "/=", "<=",
                                           ">=", "::", ":=", "=>", "||"};

enum NumberType { NO_NUMBER, INTEGER, FLOAT, NUMBER_AND_NAME };

static bool is_digit(int32_t c) { return c >= '0' && c <= '9'; }

static int32_t lower(int32_t c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; }

static bool starts_word(int32_t c) { return c == '_' || (lower(c) >= 'a' && lower(c) <= 'z'); }

static bool is_space(int32_t c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

static bool is_one_of(const char *word, const char *const *words, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (strcmp(word, words[i]) == 0) return true;
  }
  return false;
}

static bool is_reserved(const char *word) {
  return is_one_of(word, RESERVED, sizeof RESERVED / sizeof *RESERVED);
}

// Goes past white space and comments behind a token.
static void pass_trivia(TSLexer *lexer) {
  for (;;) {
    while (is_space(lexer->lookahead)) lexer->advance(lexer, false);
    if (lexer->lookahead != '%') return;
    lexer->advance(lexer, false);
    while (lexer->lookahead != '%' && !lexer->eof(lexer)) lexer->advance(lexer, false);
    if (lexer->eof(lexer)) return;
    lexer->advance(lexer, false);
  }
}

// Reads a word in lower case, cut where it is longer than any of interest; empty if there is none.
static void read_word(TSLexer *lexer, char word[WORD_SIZE]) {
  size_t length = 0;
  if (starts_word(lexer->lookahead)) {
    while (starts_word(lexer->lookahead) || is_digit(lexer->lookahead)) {
      if (length + 1 < WORD_SIZE) word[length++] = (char)lower(lexer->lookahead);
      lexer->advance(lexer, false);
    }
  }
  word[length] = 0;
}

// What follows a comma: `name :=`.
static bool optional_follows(TSLexer *lexer) {
  char word[WORD_SIZE];
  pass_trivia(lexer);
  read_word(lexer, word);
  if (!*word || is_reserved(word)) return false;
  pass_trivia(lexer);
  if (lexer->lookahead != ':') return false;
  lexer->advance(lexer, false);
  return lexer->lookahead == '=';
}

// What follows a semicolon: `variable in`.
static bool class_follows(TSLexer *lexer) {
  char word[WORD_SIZE];
  pass_trivia(lexer);
  read_word(lexer, word);
  // The names of variables may be `t` and `f`.
  if (!*word || (is_reserved(word) && strcmp(word, "t") != 0 && strcmp(word, "f") != 0)) return false;
  pass_trivia(lexer);
  read_word(lexer, word);
  return strcmp(word, "in") == 0;
}

// Goes past digits; false if there are none.
static bool read_digits(TSLexer *lexer) {
  bool found = is_digit(lexer->lookahead);
  while (is_digit(lexer->lookahead)) lexer->advance(lexer, false);
  return found;
}

// Goes past a number, which may lack digits before its point.  An exponent without digits belongs
// to a name behind the number.
static enum NumberType read_number(TSLexer *lexer) {
  enum NumberType type = INTEGER;
  bool whole = read_digits(lexer);
  if (lexer->lookahead == '.') {
    lexer->advance(lexer, false);
    if (!read_digits(lexer) && !whole) return NO_NUMBER;
    type = FLOAT;
  }
  if (lower(lexer->lookahead) == 'e') {
    lexer->advance(lexer, false);
    if (lexer->lookahead == '+' || lexer->lookahead == '-') lexer->advance(lexer, false);
    type = read_digits(lexer) ? FLOAT : NUMBER_AND_NAME;
  }
  return type;
}

// Goes past a character or a sign, of one byte or two; false if there is neither.
static bool read_sign(TSLexer *lexer) {
  int32_t first = lexer->lookahead;
  if (first <= 0 || first > 127) return false;
  if (first != '`' && !strchr("+-*/^#@<>=,:|()[]{}", first)) return false;
  lexer->advance(lexer, false);
  int32_t second = lexer->lookahead;
  if (first == '`') {
    lexer->advance(lexer, false);
    if (second != '\\') return second > 0 && second < 128;
    int32_t escaped = lexer->lookahead;
    lexer->advance(lexer, false);
    return escaped > 0 && escaped < 128 && strchr("ntr0\\\"", escaped);
  }
  for (size_t i = 0; i < sizeof DOUBLE_SIGNS / sizeof *DOUBLE_SIGNS; i++) {
    if (DOUBLE_SIGNS[i][0] == first && DOUBLE_SIGNS[i][1] == second) {
      lexer->advance(lexer, false);
      break;
    }
  }
  return true;
}

// Returns true if the next token ends the form.
static bool form_ends(TSLexer *lexer) {
  pass_trivia(lexer);
  return lexer->lookahead == ';' || lexer->lookahead == '$';
}

// The token of the first word of a command, by the tokens after it; REPAIRING if it is a name.
static enum TokenType command_type(TSLexer *lexer, const char *command) {
  bool takes_sign = strcmp(command, "describe") == 0 || strcmp(command, "apropos") == 0;
  enum TokenType type = strcmp(command, "load") == 0 ? LOAD_COMMAND_WORD : COMMAND_WORD;
  if (form_ends(lexer)) return COMMAND_WORD;
  int32_t next = lexer->lookahead;
  if (next == '"') return type;
  if (is_digit(next) || next == '.') {
    enum NumberType number = read_number(lexer);
    if (number == NO_NUMBER) return REPAIRING;
    // A command does not take a float; as a part of an expression it is one that `load` takes.
    return number == FLOAT && form_ends(lexer) ? COMMAND_WORD : type;
  }
  if (starts_word(next)) {
    char word[WORD_SIZE];
    read_word(lexer, word);
    if (!is_reserved(word)) return type;
  } else if (!takes_sign || !read_sign(lexer)) {
    return REPAIRING;
  }
  return takes_sign && form_ends(lexer) ? SIGN_COMMAND_WORD : REPAIRING;
}

void *tree_sitter_nesl_external_scanner_create(void) { return NULL; }

void tree_sitter_nesl_external_scanner_destroy(void *payload) { (void)payload; }

unsigned tree_sitter_nesl_external_scanner_serialize(void *payload, char *buffer) {
  (void)payload;
  (void)buffer;
  return 0;
}

void tree_sitter_nesl_external_scanner_deserialize(void *payload, const char *buffer,
                                                   unsigned length) {
  (void)payload;
  (void)buffer;
  (void)length;
}

bool tree_sitter_nesl_external_scanner_scan(void *payload, TSLexer *lexer,
                                            const bool *valid_symbols) {
  (void)payload;
  if (valid_symbols[REPAIRING]) return false;
  while (is_space(lexer->lookahead)) lexer->advance(lexer, true);
  if (lexer->lookahead == ',' && valid_symbols[OPTIONAL_COMMA]) {
    lexer->advance(lexer, false);
    lexer->mark_end(lexer);
    lexer->result_symbol = OPTIONAL_COMMA;
    return optional_follows(lexer);
  }
  if (lexer->lookahead == ';' && valid_symbols[CLASS_SEMICOLON]) {
    lexer->advance(lexer, false);
    lexer->mark_end(lexer);
    lexer->result_symbol = CLASS_SEMICOLON;
    return class_follows(lexer);
  }
  if (valid_symbols[COMMAND_WORD]) {
    char word[WORD_SIZE];
    read_word(lexer, word);
    if (!is_one_of(word, COMMANDS, sizeof COMMANDS / sizeof *COMMANDS)) return false;
    lexer->mark_end(lexer);
    enum TokenType type = command_type(lexer, word);
    lexer->result_symbol = type;
    return type != REPAIRING;
  }
  return false;
}
