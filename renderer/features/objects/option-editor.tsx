// Owns the choices of a field: labels, colours, order, which are offered and which is the default.
import { ActionIcon, Button, Checkbox, NativeSelect, TextInput, Textarea } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconX } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { t } from '../../lib/strings.ts'
import classes from './field-dialog.module.css'
import { optionsOf } from './field-draft.ts'

const hues = [
  ...(['red', 'orange', 'yellow', 'lime', 'green', 'teal'] as const),
  ...(['cyan', 'blue', 'violet', 'purple', 'pink'] as const),
]

interface Option {
  value: string
  label?: string
  color?: string
  default?: boolean
  active?: boolean
}

/** The choices; `undefined` among the given ones are read as their text. */
export function OptionEditor(props: {
  options: readonly (Option | string)[]
  /** Several choices may be the default. */
  several: boolean
  problem: string | undefined
  onChange: (options: Option[]) => void
}) {
  const options = props.options.map((option) => (typeof option === 'string' ? { value: option } : option))
  const [many, setMany] = useState('')
  const body = useRef<HTMLTableSectionElement>(null)

  const change = (index: number, part: Partial<Option>): void =>
    props.onChange(options.map((option, at) => (at === index ? { ...option, ...part } : option)))
  const setDefault = (index: number, on: boolean): void =>
    props.onChange(
      options.map(({ default: before, ...option }, at) => {
        const is = at === index ? on : props.several && before === true
        return is ? { ...option, default: true } : option
      }),
    )
  const setColor = (index: number, color: string): void =>
    props.onChange(
      options.map((option, at) => {
        if (at !== index) return option
        const { color: _color, ...rest } = option
        return color === '' ? rest : { ...rest, color }
      }),
    )
  const add = (texts: readonly string[]): void => {
    const taken = options.map((option) => option.value)
    const added = optionsOf([...taken, ...texts]).filter((option) => !taken.includes(option.value))
    props.onChange([...options, ...added])
    setMany('')
  }
  const focusLine = (index: number): void => {
    requestAnimationFrame(() => body.current?.querySelectorAll<HTMLElement>('tr input[type=text]')[index]?.focus())
  }

  return (
    <fieldset className={classes.group}>
      <legend>{t('options.title')}</legend>
      {options.length > 0 && (
        <table className={classes.options} aria-label={t('options.title')}>
          <tbody ref={body}>
            {options.map((option, index) => {
              const choice = option.label ?? option.value
              return (
                <tr
                  key={option.value}
                  onKeyDown={(event) => {
                    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key]
                    if (!event.altKey || step === undefined) return
                    event.preventDefault()
                    props.onChange(moveItem(options, index, step))
                  }}
                >
                  <td>
                    <TextInput
                      size="xs"
                      aria-label={t('options.label', { number: index + 1 })}
                      value={option.label ?? option.value}
                      onChange={(event) => change(index, { label: event.currentTarget.value })}
                    />
                  </td>
                  <td>
                    <NativeSelect
                      size="xs"
                      aria-label={t('options.color', { choice })}
                      value={hues.some((hue) => hue === option.color) ? option.color : ''}
                      data={[
                        { value: '', label: t('options.color.auto') },
                        ...hues.map((hue) => ({ value: hue, label: t(`hue.${hue}`) })),
                      ]}
                      onChange={(event) => setColor(index, event.currentTarget.value)}
                    />
                  </td>
                  <td>
                    <Checkbox
                      size="xs"
                      label={t('word.default')}
                      aria-label={t('options.default', { choice })}
                      checked={option.default === true}
                      onChange={(event) => setDefault(index, event.currentTarget.checked)}
                    />
                  </td>
                  <td>
                    <Checkbox
                      size="xs"
                      label={t('options.activeShort')}
                      aria-label={t('options.active', { choice })}
                      checked={option.active !== false}
                      onChange={(event) => change(index, { active: event.currentTarget.checked })}
                    />
                  </td>
                  <td className={classes.lineButtons}>
                    <ActionIcon
                      variant="subtle"
                      size={26}
                      aria-label={t('options.up', { choice })}
                      disabled={index === 0}
                      onClick={() => props.onChange(moveItem(options, index, -1))}
                    >
                      <IconArrowUp size={14} />
                    </ActionIcon>
                    <ActionIcon
                      variant="subtle"
                      size={26}
                      aria-label={t('options.down', { choice })}
                      disabled={index === options.length - 1}
                      onClick={() => props.onChange(moveItem(options, index, 1))}
                    >
                      <IconArrowDown size={14} />
                    </ActionIcon>
                    <ActionIcon
                      variant="subtle"
                      size={26}
                      aria-label={t('options.remove', { choice })}
                      onClick={() => {
                        props.onChange(options.filter((_, at) => at !== index))
                        focusLine(Math.max(0, index - 1))
                      }}
                    >
                      <IconX size={14} />
                    </ActionIcon>
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      )}
      <Textarea
        label={t('options.many')}
        autosize
        minRows={options.length === 0 ? 3 : 1}
        value={many}
        error={props.problem}
        onChange={(event) => setMany(event.currentTarget.value)}
      />
      <Button
        variant="default"
        size="compact-sm"
        disabled={many.trim() === ''}
        onClick={() => add(many.split('\n'))}
        style={{ alignSelf: 'flex-start' }}
      >
        {t('options.manyAdd')}
      </Button>
    </fieldset>
  )
}

/** The list with the entry moved; the same list when it would leave it. */
function moveItem<Item>(items: Item[], from: number, step: number): Item[] {
  const to = from + step
  if (from < 0 || from >= items.length || to < 0 || to >= items.length) return items
  const next = [...items]
  const [moved] = next.splice(from, 1)
  if (moved !== undefined) next.splice(to, 0, moved)
  return next
}
