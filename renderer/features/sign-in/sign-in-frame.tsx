// Owns the frame of the pages before a session: one panel in the middle, one heading.
import { useEffect, useRef } from 'react'
import type { ReactNode } from 'react'
import { usePageTitle } from '../../components/page.tsx'
import classes from './sign-in.module.css'

/** A page of one panel. `step` changes when another step of the same page is shown: the heading takes the focus. */
export function SignInFrame(props: { title: string; lead?: ReactNode; children: ReactNode; step?: string }) {
  usePageTitle(props.title)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    const lost = document.activeElement === null || document.activeElement === document.body
    if (props.step !== undefined && lost) heading.current?.focus({ preventScroll: true })
  }, [props.step])
  return (
    <main className={classes.page}>
      <div className={classes.panel}>
        <h1 ref={heading} className={classes.title} tabIndex={-1}>
          {props.title}
        </h1>
        {props.lead && <p className={classes.text}>{props.lead}</p>}
        {props.children}
      </div>
    </main>
  )
}
