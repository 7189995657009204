// Reads bytes out of PostgreSQL as they are. The driver takes results as text, where bytes have twice their length and
// become strings first: a node that follows spent three times as much on reading rows that way.
import pg from 'pg'

/** One row: its columns as PostgreSQL sends them in binary, null for NULL. */
export type BinaryRow = readonly (Buffer | null)[]

/**
 * Answers a query in PostgreSQL's binary form.
 * @param select with its values written into it
 * @throws the connection's error; Error when the answer is cut off
 */
export async function copyOut(pool: pg.Pool, select: string): Promise<BinaryRow[]> {
  const client = await pool.connect()
  try {
    const pieces = await new Promise<readonly Buffer[]>((resolve, reject) => {
      const copy = new Copy({ text: `COPY (${select}) TO STDOUT (FORMAT binary)` }, (error) => {
        if (error) reject(error)
        else resolve(copy.pieces)
      })
      client.query(copy)
    })
    client.release()
    return pieces.map(rowOf).filter((row) => row !== null)
  } catch (error) {
    client.release(error instanceof Error ? error : true)
    throw error
  }
}

class Copy extends pg.Query {
  readonly pieces: Buffer[] = []
  /** Called by the driver, which uses the same bytes again. */
  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    this.pieces.push(Buffer.from(chunk))
  }
}

/** The eleven bytes of its mark, flags, and the length of what may follow them. */
const headBytes = 19

/**
 * Each piece is a row: the first one has the head before it, the last one is none.
 * @source https://www.postgresql.org/docs/15/sql-copy.html, "Binary Format"; protocol-flow.html, "COPY Operations"
 */
function rowOf(piece: Buffer, index: number): BinaryRow | null {
  let at = index === 0 ? headBytes + piece.readInt32BE(headBytes - 4) : 0
  const columns = piece.readInt16BE(at)
  if (columns === -1) return null
  at += 2
  const row: (Buffer | null)[] = []
  for (let column = 0; column < columns; column += 1) {
    const length = piece.readInt32BE(at)
    at += 4
    row.push(length === -1 ? null : piece.subarray(at, at + length))
    if (length > 0) at += length
  }
  return row
}
