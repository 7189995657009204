// Owns the rule that waiting is shown only when it can be felt: after 200 ms.
import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { t } from '../lib/strings.ts'
import parts from './parts.module.css'

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

/** Says that something is loading, once that can be felt. */
export function Loading() {
  return (
    <Delayed>
      <p role="status" className={parts.lead}>
        {t('word.loading')}
      </p>
    </Delayed>
  )
}
