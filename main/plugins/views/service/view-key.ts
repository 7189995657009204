// Makes the key of a view from its label. Pure.

/**
 * The first free key of the form of D-09 that reads like the label; the kind where the label has no usable letters.
 * @param taken whether a key is in use
 */
export function freeKey(label: string, fallback: string, taken: (key: string) => boolean): string {
  const words = label
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^[_0-9]+|_+$/g, '')
    .slice(0, 50)
  const base = words === '' ? fallback : words
  for (let n = 1; ; n++) {
    const key = n === 1 ? base : `${base}_${n}`
    if (!taken(key)) return key
  }
}
