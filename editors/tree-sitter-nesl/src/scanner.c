// The three tokens of NESL that depend on more than what follows directly:
//
//   a comma before `name :=`    separates arguments from optional ones; others make pairs
//   a semicolon before `v in`   goes on with a list of classes; others end the form
//   the first word of a command if a name, a number, a string or the end of the form follows;
//                               it is an ordinary name otherwise
//
// The scanner has no state.

#include "tree_sitter/parser.h"

#include <string.h>

enum TokenType { OPTIONAL_COMMA, CLASS_SEMICOLON, COMMAND_WORD, REPAIRING };

// Longer than the longest word of interest.
enum { WORD_SIZE = 16 };

static const char *const COMMANDS[] = {"help", "describe", "apropos", "load",
                                       "set",  "show",     "exit"};

static const char *const RESERVED[] = {"if", "then", "else", "let",  "in",  "function", "datatype", "and",
                                       "or", "xor",  "nand", "nor", "t",   "f",        "_"};

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

// What follows the first word of a command: a name, a number, a string or a terminator.
static bool argument_follows(TSLexer *lexer) {
  pass_trivia(lexer);
  int32_t next = lexer->lookahead;
  if (starts_word(next)) {
    char word[WORD_SIZE];
    read_word(lexer, word);
    return !is_reserved(word);
  }
  if (next == '.') {
    lexer->advance(lexer, false);
    return is_digit(lexer->lookahead);
  }
  return is_digit(next) || next == '"' || next == ';' || next == '$';
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
    lexer->result_symbol = COMMAND_WORD;
    return argument_follows(lexer);
  }
  return false;
}
