// Owns the rule that waiting is shown only when it can be felt: after 200 ms.
import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'

const delayMs = 200

/** Shows its children once they have waited long enough. */
export function Delayed(props: { children: ReactNode }) {
  const [shown, setShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), delayMs)
    return () => clearTimeout(timer)
  }, [])
  return shown ? props.children : null
}
