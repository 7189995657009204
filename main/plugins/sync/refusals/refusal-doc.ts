// What a document of a refusal holds: two entries, one of the device that refused and one of the device that wrote. Knows
// names and shapes, no database.
import { z } from 'zod'
import type { RefusalName } from '#main/replication/core/doc-names.ts'
import { parseDocName } from '#main/replication/core/doc-names.ts'
import type { Register } from '#main/replication/core/register.ts'
import type { Json } from '#main/replication/core/types.ts'

/** The entry of the device that refused: a {@link Refusal}, or null once all of it was accepted. */
export const REFUSED_KEY = 'refused'
/** The entry of the device that wrote: when somebody there asked to try again, ISO 8601. */
export const AGAIN_KEY = 'again'

/** What the device that refused has of a document: null for none, a text as a whole, of a register the touched keys. */
export type Held = null | string | { readonly [key: string]: Json }

const refusalSchema = z.object({
  /** What the author lacks, in a word. */
  code: z.string().max(64),
  /** The same in a sentence. */
  message: z.string().max(1000),
  /** Uids of the fields that are closed to the author. */
  closed: z.array(z.string()),
  at: z.string(),
  /** The envelopes that lie aside for it: incarnation and number. */
  entries: z.array(z.tuple([z.int(), z.int()])),
  /** What stands there instead, by the name of the document; one that is too large to be told is left out. */
  held: z.record(
    z.string(),
    z.custom<Held>((value) => value === null || ['string', 'object'].includes(typeof value)),
  ),
  /** Whether something was left out of `held`, so that the writer cannot restore what stands there. */
  isPart: z.boolean(),
  /** The wish to try again that was met last. */
  tried: z.string().optional(),
})

/** What one device refused of what another one wrote. */
export type Refusal = Readonly<z.output<typeof refusalSchema>>

/** The refusal a register holds; null for one that is over, or that no version writes. */
export function readRefusal(register: Register): Refusal | null {
  const parsed = refusalSchema.safeParse(register.get(REFUSED_KEY)?.winner[1])
  return parsed.success ? parsed.data : null
}

/** When somebody asked to try again; undefined when nobody did. */
export function readAgain(register: Register): string | undefined {
  const at = register.get(AGAIN_KEY)?.winner[1]
  return typeof at === 'string' ? at : undefined
}

/** The document that a refusal of a document is told by: a long text is refused with its record. Null for what has none. */
export function targetOf(doc: string): string | null {
  const name = parseDocName(doc)
  if (name === null || name.kind === 'refusal') return null
  return name.kind === 'text' ? `r/${name.object}/${name.record}` : doc
}

/** The name of what `by` refused of what `writer` wrote. */
export function refusalName(by: string, writer: string, target: string): RefusalName {
  return { kind: 'refusal', by, writer, target }
}
