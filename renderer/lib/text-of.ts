// Owns reading members of answers whose shape depends on what is switched on. Pure.

/** A member of an answer that is text; '' otherwise. */
export function textOf(value: object, name: string): string {
  const member = (value as Readonly<Record<string, unknown>>)[name]
  return typeof member === 'string' ? member : ''
}

/** A member of an answer that is a list of objects; empty otherwise. */
export function listOf(value: object, name: string): readonly Readonly<Record<string, unknown>>[] {
  const member = (value as Readonly<Record<string, unknown>>)[name]
  return Array.isArray(member) ? member.filter((each) => typeof each === 'object' && each !== null) : []
}
