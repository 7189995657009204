// Owns the places where the workspace and the new version changed the same, the three values beside each other.
import { t } from '../../lib/strings.ts'
import type { MergeConflict } from './package-queries.ts'
import { valueText } from './package-words.ts'
import classes from './packages.module.css'

/** The conflicts. */
export function UpgradeConflicts({ conflicts }: { conflicts: readonly MergeConflict[] }) {
  return (
    <section aria-labelledby="upgrade-conflicts">
      <h3 className={classes.small} id="upgrade-conflicts">
        {t('packages.upgrade.conflicts')}
      </h3>
      <ul className={classes.conflicts}>
        {conflicts.map((conflict) => {
          const { type, name, path } = conflict
          const sides = [
            ['before', conflict.baseValue],
            ['yours', conflict.customValue],
            ['theirs', conflict.incomingValue],
          ] as const
          return (
            <li key={`${type} ${name} ${path}`} className={classes.conflict}>
              <p className={classes.place}>
                {type} {name}: {path === '' ? t('packages.upgrade.whole') : path.slice(1).replaceAll('/', ' › ')}
              </p>
              <dl className={classes.sides}>
                {sides.map(([side, value]) => (
                  <div key={side} className={classes.side} data-side={side}>
                    <dt>{t(`packages.upgrade.${side}`)}</dt>
                    <dd>{valueText(value)}</dd>
                  </div>
                ))}
              </dl>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
