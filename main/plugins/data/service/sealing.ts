// What is stored in place of the text of password and secret fields (D-94): a scrypt hash that nobody can read back,
// and text sealed with the host's secret store. Both take time, so they are made before a write enters its queue.
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { sealedText } from '#shared/field-types/concealed.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { parseField } from '#shared/field-types/parse-field.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { SecretStore } from '#main/kernel/ports.ts'
import { codecOf } from './codec.ts'
import type { PrepareEnv, Seals } from './prepare.ts'
import { defaultOf, givenValue } from './prepare.ts'

/** Cost of a hash: about 50 ms and 32 MB on one core. */
const cost = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 }
const hashBytes = 32

/**
 * Makes what is stored for the sealed fields a body names; values the field refuses are left to `prepare`.
 * @param creating whether defaults count
 * @returns by field name; undefined when there is nothing to seal, without waiting
 */
export function sealValues(
  secrets: SecretStore,
  schema: ObjectSchema,
  data: Readonly<Record<string, unknown>>,
  env: PrepareEnv,
  creating: boolean,
): Promise<Seals> | undefined {
  const { sealed } = codecOf(schema)
  if (sealed.length === 0) return undefined
  const texts: [FieldSchema, string][] = []
  for (const field of sealed) {
    const given = givenValue(field, data) ?? (creating ? plainDefault(field, env) : null)
    if (given === null) continue
    const parsed = parseField(field, given, env)
    if (parsed.ok && typeof parsed.value === 'string') texts.push([field, parsed.value])
  }
  if (texts.length === 0) return undefined
  return Promise.all(
    texts.map(async ([field, text]) => {
      const hashed = fieldTypeOf(field).concealed === 'hashed'
      return [field.name, sealedText(hashed ? await hashPassword(text) : await secrets.seal(text))] as const
    }),
  ).then((entries) => new Map(entries))
}

/** A literal default of a sealed field; expressions give none, since they would have to be sealed inside of the job. */
function plainDefault(field: FieldSchema, env: PrepareEnv): unknown {
  return typeof field.defaultValue === 'string' ? defaultOf(field, env) : null
}

/** Hashes a password: `scrypt$N$r$p$salt$hash`, the last two base64url. */
export async function hashPassword(text: string): Promise<string> {
  const salt = randomBytes(16)
  const key = await derive(text, salt, cost)
  return `scrypt$${cost.N}$${cost.r}$${cost.p}$${salt.toString('base64url')}$${key.toString('base64url')}`
}

/**
 * Whether a text is the one a stored hash was made of.
 * @internal nothing but tests compares passwords of records yet
 */
export async function passwordMatches(text: string, stored: string): Promise<boolean> {
  const [mark, n, r, p, salt, hash] = stored.split('$')
  if (mark !== 'scrypt' || salt === undefined || hash === undefined) return false
  const options = { N: Number(n), r: Number(r), p: Number(p), maxmem: cost.maxmem }
  const expected = Buffer.from(hash, 'base64url')
  const actual = await derive(text, Buffer.from(salt, 'base64url'), options)
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}

function derive(text: string, salt: Buffer, options: typeof cost): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(text, salt, hashBytes, options, (error, key) => (error === null ? resolve(key) : reject(error)))
  })
}
