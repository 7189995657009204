// What counts as a reaction (D-140). Pure.

const shortcode = /^:[a-z0-9_+-]{1,50}:$/
/** The longest family of emoji takes 35 UTF-16 units; more is a pile of combining marks. */
const maxUnits = 64
const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** The form in which a reaction is stored and compared; null when it is neither one grapheme nor a shortcode. */
export function parseEmoji(text: string): string | null {
  const emoji = text.normalize('NFC')
  if (shortcode.test(emoji)) return emoji
  if (emoji.length > maxUnits || /^[\s\p{Cc}\p{Cs}]*$/u.test(emoji)) return null
  const [first] = segmenter.segment(emoji)
  return first?.segment === emoji ? emoji : null
}
