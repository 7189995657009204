// Owns showing a text with the words a search met.
import classes from './search.module.css'

/** The text; ranges are start and length, in order. */
export function MarkedText(props: { text: string; ranges: readonly (readonly number[])[] }) {
  const parts: { text: string; isMarked: boolean; at: number }[] = []
  let done = 0
  for (const [start = 0, length = 0] of props.ranges) {
    if (start > done) parts.push({ text: props.text.slice(done, start), isMarked: false, at: done })
    parts.push({ text: props.text.slice(start, start + length), isMarked: true, at: start })
    done = start + length
  }
  parts.push({ text: props.text.slice(done), isMarked: false, at: done })
  return parts.map(({ text, isMarked, at }) =>
    isMarked ? (
      <mark key={at} className={classes.mark}>
        {text}
      </mark>
    ) : (
      text
    ),
  )
}
