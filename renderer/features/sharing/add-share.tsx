// Owns sharing a record with one more: how far is chosen first, then who.
import { NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { t } from '../../lib/strings.ts'
import { showProblem, showToast } from '../../lib/toast.ts'
import { PrincipalSearch } from './principal-search.tsx'
import { shareLevels } from './share-queries.ts'
import type { Principal, Share, SharedRecord, ShareLevel } from './share-queries.ts'
import { putShare } from './share-steps.ts'
import classes from './sharing.module.css'

/** The section. */
export function AddShare(props: {
  record: SharedRecord
  owner: string
  shares: readonly Share[]
  onChanged: () => Promise<void>
}) {
  const { record, shares } = props
  const [level, setLevel] = useState<ShareLevel>('read')
  const share = async (principal: Principal): Promise<void> => {
    const { name } = principal
    try {
      await putShare(record, principal, level, undefined)
      showToast({ message: t('share.added', { name }), tone: 'good' })
    } catch (error) {
      showProblem(error)
    }
    await props.onChanged()
  }
  const isShared = ({ principalType, principalId }: Principal): boolean =>
    shares.some((each) => each.principalType === principalType && each.principalId === principalId)
  return (
    <section aria-labelledby="share-add" className={classes.part}>
      <h3 id="share-add" className={classes.heading}>
        {t('share.add')}
      </h3>
      <NativeSelect
        label={t('share.level')}
        value={level}
        data={shareLevels.map((value) => ({ value, label: t(`share.level.${value}`) }))}
        onChange={(event) => setLevel(event.currentTarget.value as ShareLevel)}
      />
      <PrincipalSearch
        record={record}
        label={t('share.find')}
        without={[props.owner]}
        marked={(principal) => (isShared(principal) ? t('share.has') : undefined)}
        action={t('share.give')}
        actionOf={(name) => t('share.giveTo', { name })}
        none={t('share.alone')}
        autoFocus
        onChoose={share}
      />
    </section>
  )
}
