// Owns the time of day as something a screen shows: it moves on at a given pace.
import { useEffect, useState } from 'react'

/** The time, anew every `everyMs` milliseconds. */
export function useNow(everyMs: number): Date {
  const [now, setNow] = useState(() => new Date())
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}
