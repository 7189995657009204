// Owns drawing a QR code: one path, dark on white in both schemes, with the margin readers need.
import { qrCode } from '../lib/qr-code.ts'
import classes from './qr-picture.module.css'

const margin = 4

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
