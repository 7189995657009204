// Owns drawing a QR code: one path, dark on white in both schemes, with the margin readers need.
import { encode } from 'uqr'
import classes from './qr-picture.module.css'

const margin = 4
/** The longest text drawn, in bytes: larger codes are too fine for a camera before a screen. */
const maxBytes = 412

/**
 * Rows of squares, true for dark, at level M; undefined when the text is too long.
 * @internal
 */
export function qrCode(text: string): readonly (readonly boolean[])[] | undefined {
  const bytes = [...new TextEncoder().encode(text)]
  return bytes.length > maxBytes ? undefined : encode(bytes, { ecc: 'M', border: 0 }).data
}

/** The code of a text; nothing for a text that is too long for one. */
export function QrPicture(props: { text: string; label: string }) {
  const rows = qrCode(props.text)
  if (!rows) return null
  const size = rows.length + 2 * margin
  const path = rows.flatMap((row, y) =>
    row.flatMap((dark, x) => (dark ? [`M${x + margin} ${y + margin}h1v1h-1z`] : [])),
  )
  return (
    <svg className={classes.qr} viewBox={`0 0 ${size} ${size}`} role="img" aria-label={props.label}>
      <path d={path.join('')} fill="#000000" shapeRendering="crispEdges" />
    </svg>
  )
}
