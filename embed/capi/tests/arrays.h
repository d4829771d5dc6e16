/* Arrays over memory of a test, which count how often they are released, and a check that ends the
 * test. */
#ifndef ARRAYS_H
#define ARRAYS_H

#include "nesl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                \
  do {                                                                  \
    if (!(condition)) {                                                 \
      fprintf(stderr, "line %d: not so: %s\n", __LINE__, #condition);   \
      exit(1);                                                          \
    }                                                                   \
  } while (0)

/* ---- arrays ------------------------------------------------------------------------------ */

static void release_array(struct ArrowArray *array) {
  if (array->private_data) ++*(int *)array->private_data;
  for (int64_t i = 0; i < array->n_children; i++) {
    struct ArrowArray *child = array->children[i];
    if (child->release) child->release(child);
  }
  array->release = NULL;
}

static void release_schema(struct ArrowSchema *schema) {
  schema->release = NULL;
}

/* An array over memory that stays where it is. */
struct made {
  struct ArrowSchema schema;
  struct ArrowArray array;
  const void *buffers[2];
  struct ArrowSchema *schemas[2];
  struct ArrowArray *arrays[2];
  int released;
};

static void make(struct made *made, const char *format, int64_t length, const void *buffer,
                 int children, struct made *first, struct made *second) {
  struct made *parts[2] = {first, second};
  memset(made, 0, sizeof *made);
  made->buffers[1] = buffer;
  for (int i = 0; i < children; i++) {
    made->schemas[i] = &parts[i]->schema;
    made->arrays[i] = &parts[i]->array;
  }
  made->schema = (struct ArrowSchema){.format = format, .name = "", .n_children = children,
      .children = made->schemas, .release = release_schema};
  made->array = (struct ArrowArray){.length = length, .n_buffers = buffer ? 2 : 1,
      .n_children = children, .buffers = made->buffers, .children = made->arrays,
      .release = release_array, .private_data = &made->released};
}

#endif
