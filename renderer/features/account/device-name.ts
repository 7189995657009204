// Owns telling devices apart in words: browser and system out of what a browser calls itself. Pure.

const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\//, 'Firefox'],
  [/\bElectron\//, 'Cairn'],
  [/\b(Headless)?Chrome\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]

const systems: readonly (readonly [RegExp, string])[] = [
  [/\bWindows\b/, 'Windows'],
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

/** `Firefox, Linux`; the first word of an unknown program; undefined when nothing is known. */
export function deviceName(userAgent: string): string | undefined {
  const find = (list: readonly (readonly [RegExp, string])[]): string | undefined =>
    list.find(([pattern]) => pattern.test(userAgent))?.[1]
  const known = [find(browsers), find(systems)].filter((part) => part !== undefined)
  if (known.length > 0) return known.join(', ')
  return /^[\w.-]+/.exec(userAgent)?.[0]
}
