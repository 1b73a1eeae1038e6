// Translations of the editor's texts, keyed by the English ones: ours first, then CodeMirror's.
// `$`, `$1`, `$2` are placeholders.

const chinese = {
  "list of $": "$ 列表",
  "map of $": "$ 映射",
  "any value": "任意值",
  required: "必填",
  "Line $1: $2": "第 $1 行：$2",
  "Nothing is known about this field.": "没有这个字段的说明。",
  "Once you have typed, Tab indents. Press Escape, then Tab to leave.": "输入内容之后，Tab 用于缩进。先按 Esc 再按 Tab 离开。",

  "Control character": "控制字符",
  Completions: "补全",
  "No diagnostics": "没有问题",
  Diagnostics: "问题",
  "Selection deleted": "已删除所选内容",
  "Fold line": "折叠此行",
  "Unfold line": "展开此行",
  "Folded lines": "已折叠",
  "Unfolded lines": "已展开",
  to: "至",
  "folded code": "已折叠的内容",
  unfold: "展开",
  Find: "查找",
  Replace: "替换为",
  next: "下一个",
  previous: "上一个",
  all: "全部",
  "match case": "区分大小写",
  regexp: "正则表达式",
  "by word": "全词匹配",
  replace: "替换",
  "replace all": "全部替换",
  close: "关闭",
  "current match": "当前匹配",
  "on line": "所在行",
  "replaced match on line $": "已替换第 $ 行的匹配",
  "replaced $ matches": "已替换 $ 处",
  "Go to line": "转到行",
  go: "转到",
};

/** The translations for a language tag; none for English and for languages without translations. */
export function wordsFor(language) {
  return /^zh\b/i.test(language ?? "") ? chinese : {};
}
