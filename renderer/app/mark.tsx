// Owns the sign of Cairn: three stacked stones.

/** The sign, 22 px, decorative. */
export function Mark(props: { size?: number }) {
  return (
    <svg width={props.size ?? 22} height={props.size ?? 22} viewBox="0 0 24 24" aria-hidden focusable="false">
      <ellipse cx="12" cy="18.5" rx="9" ry="3.5" fill="#3b5bdb" />
      <ellipse cx="12" cy="11.6" rx="6.2" ry="2.8" fill="#5c7cfa" />
      <ellipse cx="12" cy="6" rx="3.8" ry="2.2" fill="#91a7ff" />
    </svg>
  )
}
