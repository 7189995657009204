// Synchronous reads on the read-only connection. Every statement starts on a fresh snapshot: no transaction is held.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Reads, Statement } from '#main/kernel/database.ts'
import type { Statements } from './statements.ts'

/** Makes the reads of a host from the statements of its read-only connection. */
export function createReads(statements: Pick<Statements, 'all' | 'get'>): Reads {
  return {
    all: (statement) => statements.all(statement),
    get: (statement) => statements.get(statement),
    slices: <Row>(next: (last: Row | null) => Statement<Row> | null) => walk(statements, next),
  }
}

/** No iterator stays open between slices: an open one would keep the log from being checkpointed. */
async function* walk<Row>(
  statements: Pick<Statements, 'all'>,
  next: (last: Row | null) => Statement<Row> | null,
): AsyncGenerator<Row[]> {
  let last: Row | null = null
  for (;;) {
    const statement = next(last)
    if (statement === null) return
    const rows = statements.all(statement)
    if (rows.length === 0) return
    yield rows
    last = rows.at(-1)!
    await nextTurn()
  }
}
