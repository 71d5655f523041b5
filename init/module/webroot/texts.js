// SPDX-License-Identifier: Apache-2.0
// Every word of the page, English and Chinese. What framegov itself says (doctor, explain, log) stays as it says it.

const TEXTS = {
  en: {
    language: "Language", status: "Status", apps: "Apps", doctor: "Doctor", why: "Why", history: "History",
    loading: "One moment …", app: "App on top", none: "none", fps: "Frames/s", missed: "Missed", p95: "95 % ready after", deadline: "Deadline",
    power: "Frames' power", source: "Frames from", policy: "Policy", lost: "Events lost", mode: "Mode", auto: "As configured",
    powersave: "Power save", balance: "Balance", performance: "Performance", fast: "Fast",
    generation: "Generation time against the deadline", half: "half ready after", most: "95 % ready after", budget: "deadline",
    cluster: "CPUs {cpus}", current: "now", cap: "cap", floor: "floor", ms: "milliseconds", mhz: "MHz",
    chartLast: "{title}: last {values}", package: "Package name", show: "Show", switchNow: "Govern this app", on: "On", off: "Off",
    byProfile: "As its profile says", holds: "What holds, and where it comes from", value: "Value", setting: "Setting", origin: "From",
    change: "Change its profile", notSet: "not set here", field_policy: "Policy", field_source: "Frames must be seen by", field_enabled: "Governed", field_target_fps: "Target rates, frames/s",
    field_eps: "Deadlines that may be missed, %", field_margin: "Kept free before the deadline, %", field_background_floor: "Clusters without its frames keep at least, % of their top", field_ceilings: "Highest frequencies", field_floors: "Lowest frequencies",
    all: "all", little: "little", mid: "mid", big: "big", preview: "Preview", save: "Save", remove: "Remove my profile",
    saved: "Saved. It holds from the next frame.", switched: "Switched: {state}.", removed: "Removed.", previewed: "Not saved yet. This is what would hold:",
    badRates: "auto, or up to 8 rates from 1 to 480, such as 30, 60", badNumber: "a number from {low} to {high}",
    badLimit: "such as 1.8GHz, 1800MHz, 60%, or none", badPackage: "a package name, such as com.example.game",
    canGovern: "framegov can govern this phone.", cannotGovern: "framegov cannot govern this phone.", todo: "What to do",
    ok: "ok", degraded: "degraded", missing: "missing", decisions: "The last decisions", log: "Log", again: "Look again",
    day: "Day", frames: "Frames", energy: "Energy, J", historyEmpty: "Nothing yet: frames are counted once framegov governs.", historyNote: "Energy is an estimate of what the frames' own threads took.",
    allApps: "all apps", missedByDay: "Missed frames by day, %", energyByDay: "Energy by day, J", byDayAndApp: "By day and app", chartHolds: "{title}, {unit}: {values}",
    measure: "Measure", measureTitle: "Does it help on this phone?", minutes: "Minutes", startMeasuring: "Start", stopMeasuring: "End now, with what there is",
    measureNote: "Unplug the phone. framegov is switched on and off for the app, window by window in random order, and the battery's gauge shows what that changed. Use the app all the while, the same way.",
    measuring: "Measuring {app}", windowOf: "Window {window} of {windows}, about {left} minutes to go", measureGoOn: "It goes on when this page is closed. Keep using the app.",
    lastResult: "Last result", nothingMeasured: "Nothing was measured yet.", powerMw: "Power, mW", missPercent: "Missed, %", stock: "without", withFramegov: "framegov", difference: "change",
    pairs: "Pairs of windows",
  },
  zh: {
    language: "语言", status: "状态", apps: "应用", doctor: "诊断", why: "原因", history: "历史",
    loading: "请稍候…", app: "前台应用", none: "无", fps: "帧/秒", missed: "超时帧", p95: "95% 完成于", deadline: "截止时间",
    power: "帧功耗", source: "帧来源", policy: "策略", lost: "丢失事件", mode: "模式", auto: "按配置",
    powersave: "省电", balance: "均衡", performance: "性能", fast: "极速",
    generation: "生成时间与截止时间", half: "半数完成于", most: "95% 完成于", budget: "截止时间",
    cluster: "CPU {cpus}", current: "当前", cap: "上限", floor: "下限", ms: "毫秒", mhz: "MHz",
    chartLast: "{title}：最新 {values}", package: "包名", show: "查看", switchNow: "是否调度此应用", on: "开", off: "关",
    byProfile: "按配置文件", holds: "生效值及其来源", value: "值", setting: "设置", origin: "来源",
    change: "修改配置", notSet: "不在此设置", field_policy: "策略", field_source: "帧来源要求", field_enabled: "启用", field_target_fps: "目标帧率（帧/秒）",
    field_eps: "允许超时的比例，%", field_margin: "截止前预留，%", field_background_floor: "不跑其帧的核心簇至少保留的最高速度，%", field_ceilings: "最高频率", field_floors: "最低频率",
    all: "全部", little: "小核", mid: "中核", big: "大核", preview: "预览", save: "保存", remove: "删除我的配置",
    saved: "已保存，下一帧起生效。", switched: "已切换：{state}。", removed: "已删除。", previewed: "尚未保存。保存后将生效：",
    badRates: "auto，或最多 8 个 1 到 480 的帧率，例如 30, 60", badNumber: "{low} 到 {high} 之间的数",
    badLimit: "例如 1.8GHz、1800MHz、60% 或 none", badPackage: "包名，例如 com.example.game",
    canGovern: "framegov 可以调度这部手机。", cannotGovern: "framegov 无法调度这部手机。", todo: "处理办法",
    ok: "正常", degraded: "受限", missing: "缺失", decisions: "最近的决策", log: "日志", again: "重新检查",
    day: "日期", frames: "帧数", energy: "能量（焦）", historyEmpty: "暂无数据：开始调度后才会统计。", historyNote: "能量为帧自身线程消耗的估计值。",
    allApps: "所有应用", missedByDay: "每日超时帧，%", energyByDay: "每日能量，焦", byDayAndApp: "按日期和应用", chartHolds: "{title}，{unit}：{values}",
    measure: "测量", measureTitle: "对这部手机有用吗？", minutes: "分钟", startMeasuring: "开始", stopMeasuring: "立即结束，使用已有数据",
    measureNote: "请拔掉充电线。framegov 会按随机顺序逐段对该应用开启和关闭，并由电池电量计得出差别。测量期间请一直以同样的方式使用该应用。",
    measuring: "正在测量 {app}", windowOf: "第 {window} 段，共 {windows} 段，约剩 {left} 分钟", measureGoOn: "关闭此页面后测量仍会继续。请继续使用该应用。",
    lastResult: "最近结果", nothingMeasured: "尚未测量。", powerMw: "功率，mW", missPercent: "超时，%", stock: "未启用", withFramegov: "framegov", difference: "差值",
    pairs: "成对的时段",
  },
};

const remembered = (() => { try { return localStorage.getItem("framegov-language"); } catch { return null; } })();
let language = remembered ?? (navigator.language.startsWith("zh") ? "zh" : "en");

export const currentLanguage = () => language;

export function setLanguage(name) {
  language = name;
  try { localStorage.setItem("framegov-language", name); } catch { /* some WebViews keep nothing */ }
}

/** The words for `key`, with {names} filled in; a key that is not known (a mode of one's own) stands for itself. */
export function text(key, values = {}) {
  const words = TEXTS[language][key] ?? TEXTS.en[key] ?? key;
  return words.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

/** For the test: keys that one language lacks. */
export const missingTexts = () =>
  [...Object.keys(TEXTS.en).filter(key => !(key in TEXTS.zh)), ...Object.keys(TEXTS.zh).filter(key => !(key in TEXTS.en))];
