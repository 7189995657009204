// Owns the frame of one step of pairing: its heading takes the focus when the step begins, because what had it is gone.
import { createContext, useContext, useEffect, useRef } from 'react'
import type { ReactNode } from 'react'
import parts from '../../components/parts.module.css'
import classes from './sync.module.css'

/** Heading level of steps: below the title of a dialog, or below that of a page. */
export const StepLevel = createContext<2 | 3>(3)

/** A step. */
export function Step(props: { title: string; children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null)
  const Heading = `h${useContext(StepLevel)}` as const
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  return (
    <div className={parts.stack}>
      <Heading ref={heading} className={classes.step} tabIndex={-1} data-autofocus>
        {props.title}
      </Heading>
      {props.children}
    </div>
  )
}
