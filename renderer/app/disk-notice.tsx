// Owns saying that the host stores nothing new because its disk is full: found by a refused change, or at the first look.
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { lookAtDisk } from '../lib/api-client.ts'
import { discoveryQuery } from '../lib/discovery.ts'
import { useDiskFull } from '../lib/host-status.ts'
import { t } from '../lib/strings.ts'
import classes from './shell.module.css'

/** A line below the top bar while the disk is full; nothing otherwise. */
export function DiskNotice() {
  const isFull = useDiskFull()
  const { data: manifest } = useQuery(discoveryQuery)
  const isDegraded = manifest?.services.data?.status === 'degraded'
  useEffect(() => {
    if (isDegraded) void lookAtDisk()
  }, [isDegraded])
  if (!isFull) return null
  return (
    <aside aria-label={t('app.disk.region')}>
      <div className={classes.guise} role="alert">
        <p>{t('app.disk.full')}</p>
      </div>
    </aside>
  )
}
