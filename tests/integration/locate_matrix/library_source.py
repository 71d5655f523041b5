# SPDX-License-Identifier: Apache-2.0
"""Writes the C++ source of a library that has the shape of libhwui's JNI part."""

import dataclasses
import random

# The compiler's line table attributes the real call to this source line: that is where the truth is
# read from.
CALL_LINE = 7002

REAL_NAME = "nSyncAndDrawFrame"
REAL_SIGNATURE = "(J[JI)I"


@dataclasses.dataclass(frozen=True)
class Shape:
    """What may differ between one build's source and another's."""

    seed: int = 1
    decoy_rows: int = 3000
    decoy_functions: int = 60
    assert_returns: bool = False  # older trees: the assert function was not marked noreturn
    frame_info: str = "call"  # how proxy->frameInfo() is made: call, inline, virtual
    wrapper_inlined: bool = True  # whether _JNIEnv's wrapper is forced inline
    local_array: bool = False  # an array on the stack, so that the stack is protected and large
    log_before: bool = False  # a call with the JNIEnv before the size check
    signature: str = REAL_SIGNATURE
    has_method: bool = True


PRELUDE = """
typedef int jint; typedef long jlong; typedef int jsize;
class _jobject {}; class _jlongArray : public _jobject {};
typedef _jobject* jobject; typedef _jlongArray* jlongArray;
struct _JNIEnv; typedef _JNIEnv JNIEnv;
struct JNINativeInterface {
  void* reserved[200];
  void (*GetByteArrayRegion)(JNIEnv*, jobject, jsize, jsize, char*);
  void (*GetCharArrayRegion)(JNIEnv*, jobject, jsize, jsize, unsigned short*);
  void (*GetShortArrayRegion)(JNIEnv*, jobject, jsize, jsize, short*);
  void (*GetIntArrayRegion)(JNIEnv*, jobject, jsize, jsize, jint*);
  void (*GetLongArrayRegion)(JNIEnv*, jlongArray, jsize, jsize, jlong*);
  void (*GetFloatArrayRegion)(JNIEnv*, jobject, jsize, jsize, float*);
};
struct _JNIEnv {
  const JNINativeInterface* functions;
  WRAPPER void GetLongArrayRegion(jlongArray a, jsize s, jsize n, jlong* b) {
#line 7002
    functions->GetLongArrayRegion(this, a, s, n, b); }
#line 100
};
typedef struct { const char* name; const char* signature; void* fn; } JNINativeMethod;
#define EXPORT __attribute__((visibility("default")))
#define NOINLINE __attribute__((noinline))
extern "C" EXPORT void log_assert(const char* condition, const char* tag, const char* format, ...) ASSERT_ATTRIBUTE;
extern "C" EXPORT int register_methods(JNIEnv*, const char*, const JNINativeMethod*, int);
extern "C" EXPORT long work(long);
extern "C" EXPORT void touch(void*);
extern "C" EXPORT void note_env(JNIEnv*, jobject);
struct Wide {  // an object whose vtable is as long as the JNI table
VIRTUALS
};
namespace android { namespace uirenderer { namespace renderthread {
class RenderProxy : public Wide {
 public:
  FRAME_INFO
  NOINLINE int syncAndDrawFrame();
  long pad[9];
  jlong info[24];
};
NOINLINE int RenderProxy::syncAndDrawFrame() { return (int)work(info[2]); }
FRAME_INFO_BODY
} } }
using android::uirenderer::renderthread::RenderProxy;
"""

REAL = """
namespace android {
static int android_view_ThreadedRenderer_syncAndDrawFrame(JNIEnv* env, jobject clazz, jlong proxyPtr,
                                                          jlongArray frameInfo, jint frameInfoSize) {
  LOCALS
  if (frameInfoSize != 9) log_assert("frameInfoSize != UI_THREAD_FRAME_INFO_SIZE", "OpenGLRenderer",
      "Mismatched size expectations, given %d expected %d", frameInfoSize, 9);
  RenderProxy* proxy = reinterpret_cast<RenderProxy*>(proxyPtr);
#line 7010
  env->GetLongArrayRegion(frameInfo, 0, frameInfoSize,
                          proxy->GET_INFO);
#line 7100
  return proxy->syncAndDrawFrame();
}
}
"""

# Neighbours: other calls through slot 204 of other tables, other arrays, other environments.
NEIGHBOURS = [
    """static long decoy_{n}(JNIEnv* env, jobject o, jlong p, jlongArray a, jint n) {{
  jlong buffer[8]; env->GetLongArrayRegion(a, 1, 8, buffer); return work(buffer[{k}]);
}}""",
    """static long decoy_{n}(JNIEnv* env, jobject o, jlong p, jlongArray a, jint n) {{
  Wide* wide = reinterpret_cast<Wide*>(p); wide->v204(n); return work({k} + n);
}}""",
    """static long decoy_{n}(JNIEnv* env, jobject o, jlong p, jlongArray a, jint n) {{
  if (n != {k}) log_assert("n", "tag", "bad %d", n);
  return work(p) ^ work({k});
}}""",
    """static long decoy_{n}(JNIEnv* env, jobject o, jlong p, jlongArray a, jint n) {{
  JNIEnv* other = *reinterpret_cast<JNIEnv**>(p + 8);
  other->GetLongArrayRegion(a, 0, n, reinterpret_cast<jlong*>(p)); return work({k});
}}""",
]

SIMILAR_NAMES = [
    "nSyncAndDrawFrameX", "nSyncAndDrawFrame2", "xnSyncAndDrawFrame", "syncAndDrawFrame",
    "nSyncAndDrawFram", "nSyncAndDraw", "NSyncAndDrawFrame", "android_nSyncAndDrawFrame",
]
OTHER_SIGNATURES = ["()V", "(J)V", "(J[JII)I", "(J[JI)V", "(J[JI)Ix", "(JJJF)I", "(J[II)I", "x(J[JI)I"]
SAME_NAME_SIGNATURES = ["(J[JII)I", "(J[JI)V", "()V", "x(J[JI)I"]


def _rows(shape, rng):
    rows = []
    for i in range(shape.decoy_rows):
        function = f"(void*)android::decoy_{rng.randrange(shape.decoy_functions)}"
        roll = rng.random()
        if roll < 0.02:
            name, signature = rng.choice(SIMILAR_NAMES), REAL_SIGNATURE
        elif roll < 0.04:
            name, signature = REAL_NAME, rng.choice(SAME_NAME_SIGNATURES)
        elif roll < 0.05:
            name, signature, function = REAL_NAME, REAL_SIGNATURE, "(void*)android::decoy_data"
        else:
            name, signature = f"nMethod{i}", rng.choice(OTHER_SIGNATURES)
        rows.append(f'  {{"{name}", "{signature}", {function}}},')
    if shape.has_method:
        real = (f'  {{"{REAL_NAME}", "{shape.signature}", '
                "(void*)android::android_view_ThreadedRenderer_syncAndDrawFrame},")
        rows.insert(rng.randrange(len(rows) + 1), real)
    return rows


def source(shape):
    rng = random.Random(shape.seed)
    frame_info = {
        "call": ("NOINLINE jlong* frameInfo();", "NOINLINE jlong* RenderProxy::frameInfo() { touch(this); return info; }",
                 "frameInfo()"),
        "inline": ("jlong* frameInfo() { return info; }", "", "frameInfo()"),
        # A call through slot 204 of another table, in the same function.
        "virtual": ("", "", "v204_pointer()"),
    }[shape.frame_info]
    virtuals = "\n".join(
        "  virtual jlong* v204_pointer();" if i == 204 and shape.frame_info == "virtual" else f"  virtual long v{i}(int);"
        for i in range(208))
    if shape.frame_info == "virtual":
        virtuals = virtuals.replace("v204_pointer();", "v204_pointer(); long v204(int);")
    prelude = (PRELUDE
               .replace("WRAPPER", "__attribute__((always_inline))" if shape.wrapper_inlined else "inline")
               .replace("ASSERT_ATTRIBUTE", "" if shape.assert_returns else "__attribute__((noreturn))")
               .replace("VIRTUALS", virtuals)
               .replace("FRAME_INFO_BODY", frame_info[1])
               .replace("FRAME_INFO", frame_info[0]))
    locals_ = ("note_env(env, clazz); " if shape.log_before else "") + (
        "long scratch[600]; touch(scratch);" if shape.local_array else "")
    real = REAL.replace("LOCALS", locals_).replace("GET_INFO", frame_info[2])
    decoys = [rng.choice(NEIGHBOURS).format(n=i, k=rng.randrange(8)) for i in range(shape.decoy_functions)]
    cut = rng.randrange(len(decoys) + 1)
    parts = [prelude, "namespace android { static long decoy_data[4] = {1, 2, 3, 4};", *decoys[:cut], "}"]
    if shape.has_method:
        parts.append(real)
    parts += ["namespace android {", *decoys[cut:], "static const JNINativeMethod gMethods[] = {",
              *_rows(shape, rng), "};",
              "EXPORT int register_all(JNIEnv* env) {",
              '  return register_methods(env, "android/view/ThreadedRenderer", gMethods,'
              " sizeof(gMethods) / sizeof(gMethods[0])) + (int)decoy_data[0]; }",
              "}"]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    print(source(Shape()))
