// Owns short names of organizations. Pure.

const longest = 100

/** A short name out of a name: `Müller & Sons` becomes `muller-sons`. */
export function slugFromName(name: string): string {
  return name
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, longest)
}

/** Whether a text can be a short name. */
export function isSlug(text: string): boolean {
  return /^[a-z0-9][a-z0-9-]{0,99}$/.test(text)
}
